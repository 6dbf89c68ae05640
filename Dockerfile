# The decision service: hedgerow serve, with its machine code made at build time.
#   docker build --tag hedgerow .
#   docker run --read-only --tmpfs /tmp --volume hedgerow:/data --publish 127.0.0.1:8080:8080 --env HEDGEROW_TOKENS=admin:... hedgerow
# On ARM add --build-arg CPU=generic.

FROM python:3.11-slim-bookworm AS build
ARG CPU=x86-64-v3
ENV NUMBA_CPU_NAME=$CPU NUMBA_CPU_FEATURES="" NUMBA_CACHE_DIR=/opt/machine-code
WORKDIR /opt/source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python3 -m venv /opt/hedgerow \
    && /opt/hedgerow/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt ".[service,postgres]"
RUN /opt/hedgerow/bin/python -m hedgerow.service.machine_code Auto

FROM python:3.11-slim-bookworm
ARG CPU=x86-64-v3
ENV NUMBA_CPU_NAME=$CPU NUMBA_CPU_FEATURES="" NUMBA_CACHE_DIR=/tmp/machine-code PYTHONDONTWRITEBYTECODE=1 \
    HEDGEROW_STORE=sqlite:////data/hedgerow.db PORT=8080
COPY --from=build /opt/hedgerow /opt/hedgerow
COPY --from=build /opt/machine-code /opt/machine-code
COPY --chmod=755 deploy/start.sh /opt/start.sh
RUN install --directory --owner=10001 --group=10001 /data
WORKDIR /data
VOLUME /data
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
    CMD ["/opt/hedgerow/bin/python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/readyz', timeout=2)"]
ENTRYPOINT ["/opt/start.sh"]
CMD ["serve", "--host", "0.0.0.0"]

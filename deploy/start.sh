#!/bin/sh
# Numba does not read machine code from a folder that it cannot write, and the image is read-only: copy it to /tmp, then serve.
set -eu
mkdir -p "$NUMBA_CACHE_DIR"
cp -R /opt/machine-code/. "$NUMBA_CACHE_DIR"
exec /opt/hedgerow/bin/hedgerow "$@"

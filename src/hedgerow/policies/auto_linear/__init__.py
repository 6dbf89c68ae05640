"""Auto with contexts: a hierarchical linear model, estimated by empirical Bayes, and an index on it.

    r = a + theta_k'x + noise,   theta_k ~ N(theta_cluster, rho sig2 I),   theta_cluster ~ N(0, phi sig2 I)

Symbols of the formulas, their names in the code, and what they mean:

    x        context         as the model sees it: each column in a unit of its own (standardize)
    r, t     reward, rounds  all rounds, those of the history included
    w        weight          of a round: one over its noise variance, in units of sig2 (noise_shape)
    a        offset          the level of reward that all arms share
    sig2     noise           variance of the noise of a round of weight 1
    phi      spread_top      variance of the nodes right under the root around 0, in units of sig2
    rho      spread_below    variance of every other node around its parent, in units of sig2
    theta_v  --              coefficients of a node; its posterior is N(mu_v, sig2 S_v)
    mu_v     mean            posterior mean of theta_v
    M_v      covariance      of theta_v given its parent's, in units of sig2
    S_v      --              M_v + M_v S_parent M_v / rho^2, never kept
    h        width           x'S x: variance of theta'x, in units of sig2
    A, b, f  --              sums of w xx', w r x and w x; of an inner node, its children's messages (likelihood)
    delta, c drift, kept     coefficients at the time of the history ~ N(c theta, delta sig2 I) (history_drift)
    z        prediction      expected squared distance of a reward from a
    eta, kappa  noise_intercept, noise_slope   variance of the noise: kappa (eta V + z), V the variance of all rewards

Read ``settings`` (every tuning number), ``state`` (the numbers kept), ``likelihood`` and ``posterior`` (the model),
``empirical_bayes``, ``history_drift`` and ``levels`` (what is estimated), ``refresh`` (in which order), ``updates`` (a round
between two refreshes), ``index`` (how an arm is chosen) and ``policy`` (when which of them is called).
"""

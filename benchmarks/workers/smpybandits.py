"""SMPyBandits: UCB. Its t counts the rounds so far, ours is one more; it starts one ahead here, so that indices agree."""

from SMPyBandits.Policies import UCB
from work import drawn
from workers.measure import play


def ucb(task):
    """Rounds of choice and getReward, each arm having been played once."""
    inputs = drawn(task)
    policy = UCB(task["arms"])
    policy.startGame()
    policy.t = 1
    for arm, reward in enumerate(inputs.first):
        policy.getReward(arm, reward)

    means, uniforms = inputs.means.tolist(), inputs.uniforms.tolist()

    def learn(t, arm):
        policy.getReward(arm, 2.0 * means[arm] * uniforms[t])

    return play(task["rounds"], lambda _: policy.choice(), learn)


PACKAGE = "SMPyBandits"
KINDS = {"ucb": ucb}

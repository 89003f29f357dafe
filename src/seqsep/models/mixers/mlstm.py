"""mLSTM, the matrix memory of xLSTM: a sum of outer products with an exponential input gate, a forget gate and a normaliser.

    q_t, k_t, v_t = W_q x_t, W_k x_t / sqrt(key), W_v x_t                                        (per head, key = value numbers)
    i_t, f_t = cap(W_i x_t + b_i), cap(W_f x_t + b_f)      cap(u) = 15 tanh(u / 15)                (a number per head each)
    C_t = sigmoid(f_t) C_{t-1} + exp(i_t) k_t v_t^T      n_t = sigmoid(f_t) n_{t-1} + exp(i_t) k_t
    y_t = W_o (sigmoid(W_g x_t) * LayerNorm over each head of C_t^T q_t / max(|n_t . q_t|, 1))

The state keeps exp(-m_t) C_t and exp(-m_t) n_t, so that no exponential overflows. m_0 = 0, and

    m_t = max(log sigmoid(f_t) + m_{t-1}, i_t)

State: C and n, each times exp(-m), and m. These are width^2 / heads + width + heads numbers.
Source: Beck et al. 2024 (arXiv:2405.04517), section 2.3, with transposed states. The layer around it, with its cap, its
gate and its norm, is that of xLSTM 7B, Beck et al. 2025 (arXiv:2503.13427).
We differ: keys have as many coordinates as values, where xLSTM 7B has half as many. No small number is added to the
denominator, because it is at least exp(-15). The MLP is that of GPT-2, where the papers have a gated one. Linear weights are
GPT-2's. Biases of the gates start as in the first paper's code: those of i normal of deviation 0.1, those of f from 3 to 6.
Names: `query`, `key` and `value` are W_q, W_k and W_v. `input_gate` is W_i with b_i, `forget_gate` is W_f with b_f, `gate` is
W_g and `output` is W_o. `memory` is C with n as its last column, and `scale` is m.
`forward` works on chunks. Let l be the sum of log sigmoid(f) in a chunk up to a token, and C with its m the memory before the
chunk. Then

    C_i^T q_i = sum over j <= i in the chunk of exp(l_i - l_j + i_j - m_i) (k_j . q_i) v_j  +  exp(l_i + m - m_i) C^T q_i.

Time and memory are linear in the length.

    >>> layer = MLSTM(width=8, heads=2)
    >>> layer.start(1).memory.shape
    torch.Size([1, 2, 4, 5])
"""

from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers._chunks import StatesBefore, into_chunks
from seqsep.models.mixers._decay import remaining
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers.base import GPT2_DEVIATION, Block, Mixer, State, by_head, initialise_as_gpt2, require_heads

CAP = 15.0


class Memory(NamedTuple):
    """The state: C with n as its last column, both times exp(-m), and m."""

    memory: Float[Tensor, "batch heads key value_and_one"]
    scale: Float[Tensor, "batch heads"]


class GatedToken(NamedTuple):
    """The part of a token in the recurrence. `value` has a 1 after it, which n sums."""

    query: Float[Tensor, "*shape heads key"]
    key: Float[Tensor, "*shape heads key"]
    value: Float[Tensor, "*shape heads value_and_one"]
    enter: Float[Tensor, "*shape heads"]
    log_forget: Float[Tensor, "*shape heads"]


class MLSTM(Mixer):
    """The matrix memory of xLSTM; equations at the head of the file."""

    name: ClassVar[str] = "mlstm"
    block: ClassVar[Block] = Block(norm="rms", mlp=True)

    def __init__(self, width: int, heads: int, chunk: int = 64) -> None:
        """Build the layer. `chunk`: most tokens of a chunk; outputs depend on it by rounding only.

        Raises ValueError unless the heads divide the width.
        """
        super().__init__()
        require_heads("MLSTM", width, heads)
        self.heads = heads
        self.chunk = chunk
        self.query, self.key, self.value, self.gate = (Linear(width, width, bias=False) for _ in range(4))
        self.input_gate, self.forget_gate = (Linear(width, heads) for _ in range(2))
        self.norm = nn.GroupNorm(heads, width, eps=1e-6)
        self.output = Linear(width, width, bias=False)
        self._start_biases()

    def _start_biases(self) -> None:
        with torch.no_grad():
            self.input_gate.bias.normal_(std=0.1)
            self.forget_gate.bias.copy_(torch.linspace(3, 6, self.heads))

    def start(self, batch: int) -> Memory:
        zeros = self.output.weight.new_zeros
        part = self.output.weight.shape[0] // self.heads
        return Memory(zeros(batch, self.heads, part, part + 1), zeros(batch, self.heads))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        token = self._token(x)
        scale = torch.maximum(token.log_forget + state[1], token.enter)
        kept = torch.exp(token.log_forget + state[1] - scale)[..., None, None] * state[0]
        entered = torch.exp(token.enter - scale)[..., None] * token.key
        memory = kept + entered[..., :, None] * token.value[..., None, :]
        read = torch.einsum("bhkv,bhk->bhv", memory, token.query)
        return self._project_out(x, read, scale), Memory(memory, scale)

    def _token(self, x: Float[Tensor, "*shape width"]) -> GatedToken:
        query, key, value = (by_head(linear(x), self.heads) for linear in (self.query, self.key, self.value))
        gates = (linear(x).to(linear.weight.dtype) for linear in (self.input_gate, self.forget_gate))
        enter, forget = (CAP * torch.tanh(gate / CAP) for gate in gates)
        key = key * key.shape[-1] ** -0.5
        return GatedToken(query, key, F.pad(value, (0, 1), value=1.0), enter=enter, log_forget=F.logsigmoid(forget))

    def _project_out(
        self,
        x: Float[Tensor, "*shape width"],
        read: Float[Tensor, "*shape heads value_and_one"],
        scale: Float[Tensor, "*shape heads"],
    ) -> Float[Tensor, "*shape width"]:
        """Return y_t from `read`, which is C_t^T q_t and n_t . q_t, both times exp(-m_t)."""
        recalled = read[..., :-1] / torch.maximum(read[..., -1].abs(), torch.exp(-scale))[..., None]
        normed = self.norm(recalled.reshape(-1, self.norm.num_channels)).view_as(x)
        return self.output(torch.sigmoid(self.gate(x)) * normed)

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        """Return the last state as a decayed sum of what entered: no state in between is made."""
        if not x.shape[1]:
            return Memory(*state)
        token = self._token(x)
        total = token.log_forget.cumsum(1)
        whole = total[:, -1]
        log_weight = whole[:, None] - total + token.enter
        scale = torch.maximum(whole + state[1], log_weight.amax(1))
        weight = remaining(log_weight - scale[:, None])[..., None]
        arrived = torch.einsum("bthk,bthv->bhkv", weight * token.key, token.value)
        return Memory(remaining(whole + state[1] - scale)[..., None, None] * state[0] + arrived, scale)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        read, scale = _read_in_chunks(self._token(x), self.chunk)
        return self._project_out(x, read, scale)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example: a weighted sum of the values, without any state."""
        rows = torch.arange(x.shape[0], device=x.device)
        token = self._token(x)
        total = token.log_forget.cumsum(1)
        is_past = (torch.arange(x.shape[1], device=x.device) <= at[:, None])[..., None]
        asked = total[rows, at]
        log_weight = (asked[:, None] - total + token.enter).where(is_past, -torch.inf)
        scale = torch.maximum(asked, log_weight.amax(1))
        weight = remaining(log_weight - scale[:, None]).where(is_past, 0)
        weight = weight * torch.einsum("bthk,bhk->bth", token.key, token.query[rows, at])
        return self._project_out(x[rows, at], torch.einsum("bth,bthv->bhv", weight, token.value), scale)

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        initialise_as_gpt2(self, self.output, depth, deviation)
        self._start_biases()


def _read_in_chunks(
    token: GatedToken, most: int
) -> tuple[Float[Tensor, "batch time heads value_and_one"], Float[Tensor, "batch time heads"]]:
    """Return C_t^T q_t and n_t . q_t, times exp(-m_t), and m_t at every token, in chunks of at most `most` tokens.

    m has no gradient: C and n hold the same factor exp(-m), so that outputs do not depend on it.
    """
    time = token.query.shape[1]
    query, key, value, enter, log_forget = (into_chunks(part, most).transpose(2, 3) for part in token)
    total = log_forget.cumsum(-1)
    whole = total[..., -1:]
    with torch.no_grad():
        scale, before_scale, after_scale = _scales(total, enter)
    size = total.shape[-1]
    is_later = torch.ones(size, size, dtype=torch.bool, device=total.device).triu(1)
    log_weight = total[..., :, None] - total[..., None, :] + enter[..., None, :] - scale[..., None]
    read = (query @ key.mT * remaining(log_weight.masked_fill(is_later, 0)).tril()) @ value
    if query.shape[1] > 1:
        kept = remaining(whole + before_scale - after_scale)[..., None]
        arrived = ((key * remaining(whole - total + enter - after_scale)[..., None]).mT @ value).to(total.dtype)
        before = StatesBefore.apply(arrived.new_zeros(()), kept, arrived, False)
        read = read + (query @ before) * remaining(total + before_scale - scale)[..., None]
    return read.transpose(2, 3).flatten(1, 2)[:, :time], scale.transpose(2, 3).flatten(1, 2)[:, :time]


def _scales(
    total: Float[Tensor, "batch chunks heads size"], enter: Float[Tensor, "batch chunks heads size"]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return m at every token, m before each chunk and m after it, by a loop over chunks."""
    greatest = (enter - total).cummax(-1).values
    before = torch.zeros_like(total[:, :, :, :1])
    for chunk in range(1, total.shape[1]):
        last = torch.maximum(before[:, chunk - 1], greatest[:, chunk - 1, :, -1:])
        before[:, chunk] = total[:, chunk - 1, :, -1:] + last
    scale = total + torch.maximum(before, greatest)
    return scale, before, scale[..., -1:]

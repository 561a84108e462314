import json
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

@dataclass
class Config:
    vocab_size: int
    hidden_size: int = 64            # d_model
    intermediate_size: int = 128     # d_ff
    num_hidden_layers: int = 2       # N
    num_attention_heads: int = 4     # h, heads of queries
    num_key_value_heads: int = 2     # g, heads of keys and values
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10_000.0


class RMSNorm(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(c.hidden_size))
        self.epsilon = c.rms_norm_eps

    def forward(self, x):                                  # (batch, n, d_model)
        mean_square = x.pow(2).mean(dim=-1, keepdim=True)  # (batch, n, 1)
        return self.weight * x * torch.rsqrt(mean_square + self.epsilon)


def rotate(x, first, theta):                               # (batch, heads, n, d_k)
    n, d_k = x.shape[-2:]
    frequency = theta ** (-torch.arange(0, d_k, 2) / d_k)  # (d_k / 2,)
    angle = torch.arange(first, first + n)[:, None] * frequency
    cos, sin = angle.cos(), angle.sin()                    # (n, d_k / 2)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.h, self.g = c.num_attention_heads, c.num_key_value_heads
        self.d_k, self.theta = c.hidden_size // self.h, c.rope_theta
        self.q_proj = nn.Linear(c.hidden_size, self.h * self.d_k, bias=False)
        self.k_proj = nn.Linear(c.hidden_size, self.g * self.d_k, bias=False)
        self.v_proj = nn.Linear(c.hidden_size, self.g * self.d_k, bias=False)
        self.o_proj = nn.Linear(self.h * self.d_k, c.hidden_size, bias=False)

    def split(self, x):                                    # (batch, n, heads * d_k)
        return x.unflatten(-1, (-1, self.d_k)).transpose(1, 2)

    def forward(self, x, cache):
        past = cache[self][0].shape[2] if self in cache else 0
        Q = rotate(self.split(self.q_proj(x)), past, self.theta)  # (batch, h, n, d_k)
        K = rotate(self.split(self.k_proj(x)), past, self.theta)  # (batch, g, n, d_k)
        V = self.split(self.v_proj(x))                            # (batch, g, n, d_k)
        if past:
            K = torch.cat([cache[self][0], K], dim=2)      # (batch, g, past + n, d_k)
            V = torch.cat([cache[self][1], V], dim=2)
        cache[self] = K, V
        K, V = (t.repeat_interleave(self.h // self.g, dim=1) for t in (K, V))
        scores = Q @ K.transpose(-2, -1) / self.d_k**0.5   # (batch, h, n, past + n)
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(past)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        return self.o_proj((weights @ V).transpose(1, 2).flatten(2))


class SwiGLU(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.up_proj = nn.Linear(c.hidden_size, c.intermediate_size, bias=False)
        self.down_proj = nn.Linear(c.intermediate_size, c.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.input_layernorm, self.self_attn = RMSNorm(c), Attention(c)
        self.post_attention_layernorm, self.mlp = RMSNorm(c), SwiGLU(c)

    def forward(self, x, cache):
        x = x + self.self_attn(self.input_layernorm(x), cache)
        return x + self.mlp(self.post_attention_layernorm(x))


class Stack(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens = nn.Embedding(c.vocab_size, c.hidden_size)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.num_hidden_layers))
        self.norm = RMSNorm(c)

    def forward(self, ids, cache):
        x = self.embed_tokens(ids)                         # (batch, n, d_model)
        for layer in self.layers:
            x = layer(x, cache)
        return self.norm(x)


class LanguageModel(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config, self.model = c, Stack(c)
        self.lm_head = nn.Linear(c.hidden_size, c.vocab_size, bias=False)

    def forward(self, ids, cache=None):                    # (batch, n)
        x = self.model(ids, {} if cache is None else cache)
        return self.lm_head(x)                             # (batch, n, vocab_size)


sentence = ("The black cat sat on the couch and the brown dog "
            "slept on the rug .").split()
words = sorted(set(sentence))
ids = torch.tensor([[words.index(word) for word in sentence]])  # (1, 16)

torch.manual_seed(0)
model = LanguageModel(Config(vocab_size=len(words)))
optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(61):
    logits = model(ids[:, :-1])                            # (1, 15, vocab_size)
    loss = F.cross_entropy(logits[0], ids[0, 1:])
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % 20 == 0:
        print(f"step {step:2}: loss {loss.item():.3f}")


@torch.no_grad()
def write(model, ids, tokens, temperature=0.0):
    cache, unread = {}, torch.tensor([ids])                # (1, n), then (1, 1)
    for _ in range(tokens):
        logits = model(unread, cache)[:, -1]               # (1, vocab_size)
        if temperature == 0:
            unread = logits.argmax(dim=-1, keepdim=True)
        else:
            unread = torch.multinomial((logits / temperature).softmax(dim=-1), 1)
        ids = [*ids, unread.item()]
    return ids

written = write(model, ids[0, :3].tolist(), tokens=13)
print(" ".join(words[i] for i in written))


def load(folder):
    settings = json.loads(Path(folder, "config.json").read_text())
    kind = settings["model_type"], settings.get("hidden_act", "silu")
    if kind != ("llama", "silu"):
        raise ValueError(f"this program computes Llama with SiLU, not {kind}")
    rope = settings.get("rope_parameters") or {}           # where newer files have it
    stretched = {rope.get("rope_type"), rope.get("type")} - {None, "default"}
    if settings.get("rope_scaling") or stretched:
        raise ValueError("this program does not scale its rotary positions")
    known = {field.name for field in fields(Config)}
    defaults = {"num_key_value_heads": settings["num_attention_heads"],
                "rms_norm_eps": 1e-6}                     # of files that leave them out
    config = {name: value for name, value in (defaults | rope | settings).items()
              if name in known}
    model = LanguageModel(Config(**config))
    weights = load_file(Path(folder, "model.safetensors"))
    if settings.get("tie_word_embeddings"):
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    model.load_state_dict(weights)
    return model.eval()


def save(model, folder):
    settings = vars(model.config) | {"model_type": "llama"}
    Path(folder, "config.json").write_text(json.dumps(settings))
    save_file(model.state_dict(), Path(folder, "model.safetensors"))


with TemporaryDirectory() as folder:
    save(model, folder)
    loaded = load(folder)
print(torch.equal(loaded(ids), model(ids)))

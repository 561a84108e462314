import math
import random

import torch
from torch import nn
from torch.nn import functional as F

PAD, BOS, EOS = 0, 1, 2

with open("sentences.tsv", encoding="utf-8") as file:
    lines = [line.rstrip("\n").split("\t") for line in file]
pairs = [(english.split(), list(chinese)) for english, chinese in lines]
print(len(pairs), pairs[0][0])


def vocabulary(sentences):
    tokens = {token for sentence in sentences for token in sentence}
    return ["<pad>", "<bos>", "<eos>", *sorted(tokens)]

english = vocabulary(source for source, _ in pairs)
chinese = vocabulary(target for _, target in pairs)
id_of_english = {token: i for i, token in enumerate(english)}
id_of_chinese = {token: i for i, token in enumerate(chinese)}
print(len(english), len(chinese), id_of_english["cat"])


def rectangle(rows):
    width = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])

def batch_of(pairs):
    source = [[id_of_english[token] for token in source] for source, _ in pairs]
    target = [[BOS, *(id_of_chinese[token] for token in target), EOS]
              for _, target in pairs]
    return rectangle(source), rectangle(target)  # (batch, n), (batch, m + 1)

source, target = batch_of(pairs[:2])
print(source.shape, target.shape)


d_model, h, d_ff, N, dropout = 64, 4, 256, 2, 0.1
d_k = d_model // h

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):                                    # (batch, n, d_model)
        return x.unflatten(-1, (h, d_k)).transpose(1, 2)   # (batch, h, n, d_k)

    def forward(self, x, memory, mask):
        Q = self.split(self.W_Q(x))                        # (batch, h, m, d_k)
        K = self.split(self.W_K(memory))                   # (batch, h, n, d_k)
        V = self.split(self.W_V(memory))                   # (batch, h, n, d_k)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)  # (batch, h, m, n)
        weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
        heads = weights @ V                                # (batch, h, m, d_k)
        return self.W_O(heads.transpose(1, 2).flatten(2))  # (batch, m, d_model)


class AddAndNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, change):
        return self.norm(x + self.dropout(change))


class FeedForward(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attention, self.feed_forward = Attention(), FeedForward()
        self.add_1, self.add_2 = AddAndNorm(), AddAndNorm()

    def forward(self, x, mask):
        x = self.add_1(x, self.self_attention(x, x, mask))
        return self.add_2(x, self.feed_forward(x))         # (batch, n, d_model)


class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attention, self.cross_attention = Attention(), Attention()
        self.feed_forward = FeedForward()
        self.add_1, self.add_2, self.add_3 = AddAndNorm(), AddAndNorm(), AddAndNorm()

    def forward(self, x, mask, memory, memory_mask):
        x = self.add_1(x, self.self_attention(x, x, mask))
        x = self.add_2(x, self.cross_attention(x, memory, memory_mask))
        return self.add_3(x, self.feed_forward(x))         # (batch, m, d_model)


def positions(n):
    frequency = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    angle = torch.arange(n)[:, None] * frequency           # (n, d_model / 2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (n, d_model)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.source_embedding = nn.Embedding(len(english), d_model)
        self.target_embedding = nn.Embedding(len(chinese), d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        self.encoder = nn.ModuleList(EncoderLayer() for _ in range(N))
        self.decoder = nn.ModuleList(DecoderLayer() for _ in range(N))
        self.dropout = nn.Dropout(dropout)

    def embed(self, ids, embedding):
        x = embedding(ids) * math.sqrt(d_model)            # (batch, n, d_model)
        return self.dropout(x + positions(ids.shape[1]))

    def encode(self, source):
        mask = (source != PAD)[:, None, None, :]           # (batch, 1, 1, n)
        x = self.embed(source, self.source_embedding)
        for layer in self.encoder:
            x = layer(x, mask)
        return x, mask

    def decode(self, target, memory, memory_mask):
        m = target.shape[1]
        mask = torch.ones(m, m, dtype=torch.bool).tril()   # (m, m)
        x = self.embed(target, self.target_embedding)
        for layer in self.decoder:
            x = layer(x, mask, memory, memory_mask)
        return x @ self.target_embedding.weight.T          # (batch, m, words)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


torch.manual_seed(0)
model = Transformer()
print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
print(model(source, target[:, :-1]).shape)                 # (batch, m, words)


def train(model, steps, size=64, peak=3e-3, warmup=100):
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    for step in range(steps):
        rise, fall = (step + 1) / warmup, (steps - step) / (steps - warmup)
        optimiser.param_groups[0]["lr"] = peak * min(rise, fall)
        source, target = batch_of(random.sample(pairs, size))
        logits = model(source, target[:, :-1])             # (batch, m, words)
        loss = F.cross_entropy(
            logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 100 == 0 or step == steps - 1:
            print(f"step {step:3}: loss {loss.item():.2f}")


random.seed(0)
train(model, steps=600)


@torch.no_grad()
def translate(model, sentence, longest=50):
    source = torch.tensor([[id_of_english[token] for token in sentence.split()]])
    memory, mask = model.encode(source)
    written = [BOS]
    while written[-1] != EOS and len(written) < longest:
        logits = model.decode(torch.tensor([written]), memory, mask)
        written.append(logits[0, -1].argmax().item())
    return "".join(chinese[i] for i in written[1:] if i != EOS)

model.eval()
translation = translate(
    model, "The black cat sat on the couch and the brown dog slept on the rug .")

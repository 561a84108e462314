"""Words by which readers look for a page though the book calls its subject otherwise.

They are names of the page for the search, as its terms in the glossary are. Hyphens, spaces and
inflection make no difference: "fine-tuning" stands for "finetune", too.
"""

SYNONYMS_BY_PAGE = {
    "tour": "overview, introduction, beginner, architecture, big picture, from scratch, "
    "step by step, 入门, 概览, 整体架构",
    "words/mathematics": "prerequisites, linear algebra, matrix multiplication, matmul, calculus, "
    "derivative, chain rule, probability, statistics, softmax, broadcasting, 数学基础, 前置知识, "
    "线性代数, 矩阵乘法, 求导, 链式法则, 概率",
    "words/why_attention": "attention mechanism, long-range dependency, long-term memory, "
    "recurrence, seq2seq, compare with RNN, bottleneck, vanishing gradient of recurrent networks, "
    "注意力机制, 长距离依赖, 为何用注意力",
    "words/tokens": "tokenisation, split text, unknown word, out of vocabulary, OOV, "
    "characters or words, tiktoken, vocab size, 分词, 切词, 词汇表, 未登录词, 子词切分",
    "words/learning": "backpropagation, backprop, backward pass, autograd, optimiser, SGD, "
    "stochastic gradient descent, loss function, CrossEntropyLoss, negative log-likelihood, NLL, "
    "train a neural network, minibatch, neural network, loss.backward, optimizer.step, zero_grad, "
    "反向传播, 优化器, 损失函数, 神经网络, 学习过程, 自动求导, 随机梯度下降",
    "words/embeddings": "nn.Embedding, look-up table, lookup, word meaning, similar words, "
    "king minus man plus woman, analogy, semantic similarity, distributed representation, 词向量, "
    "词义, 嵌入层, 查表, 相似词",
    "words/positions": "word order, order of words, sequence order, sine and cosine, sin cos, "
    "sinusoidal encoding, position information, bag of words, shuffled words, permutation, 词序, 顺序, "
    "语序, 位置信息, 位置嵌入, 正弦余弦",
    "words/fusion": "add embedding and position, sum of embedding and encoding, concatenate or add, "
    "why add not concatenate, tied weights, tie weights, tied embeddings, 词嵌入加位置编码, "
    "相加还是拼接, 权重绑定",
    "attention/eight_steps": "QKV, Q K V, query key value, SDPA, scaled_dot_product_attention, "
    "attention formula, three matrices, compute attention by hand, W_Q W_K W_V, projections, 三个矩阵, "
    "查询键值, 注意力公式, 注意力计算",
    "attention/scaling": "square root, sqrt, root d_k, divide, division, scale factor, "
    "softmax saturation, vanishing gradient, numerical stability, overflow, 根号, 平方根, 除以, "
    "除以根号, 开方, 缩放, 缩放因子, 梯度消失",
    "attention/heads": "nn.MultiheadAttention, number of heads, num_heads, parallel heads, "
    "split heads, concatenate heads, embed_dim divisible, reshape transpose, 多头, 多个头, 头数, 拼接",
    "attention/masks": "masking, masked attention, attn_mask, key_padding_mask, masked_fill, tril, "
    "triu, minus infinity, -inf, future tokens, look at the future, see the future, peek, cheat, "
    "triangular, is_causal, variable length, mask shape, 遮罩, 遮挡, 未来信息, 下三角, 看不到未来, "
    "变长序列",
    "attention/cross_attention": "source and target, decoder looks at encoder, "
    "translation alignment, context attention, attend to the source, 源句子, 目标句子, "
    "编码器解码器注意力, 对齐",
    "transformer/add_and_norm": "nn.LayerNorm, LN, residual, ResNet, identity mapping, skip, "
    "pre-norm or post-norm, train deep networks, vanishing gradient, exploding gradient, "
    "normalisation, 残差, 跳跃连接, 归一化, 层标准化, 梯度消失, 梯度爆炸, 训练深层网络",
    "transformer/feed_forward": "fully connected layer, dense layer, nn.Linear, "
    "multilayer perceptron, nonlinearity, activation function, FC, pointwise, linear layer, 全连接层, "
    "多层感知机, 非线性, 激活函数, 线性层",
    "transformer/stacks": "TransformerEncoderLayer, TransformerDecoderLayer, nn.TransformerEncoder, "
    "nn.TransformerDecoder, encoder and decoder, encoder vs decoder, number of layers, N layers, "
    "depth, 编码器和解码器, 层数, 多少层",
    "transformer/full_model": "nn.Transformer, number of parameters, parameter count, "
    "base and big model, hyperparameters, paper, Attention Is All You Need, Vaswani, 参数量, 超参数, "
    "论文, 完整模型",
    "transformer/training": "learning rate schedule, scheduler, Noam, warmup, learning rate warm-up, "
    "training loop, regularisation, overfit, exposure bias, shifted right, 训练, 训练循环, 学习率预热, "
    "正则化, 学习率调度",
    "transformer/decoding": "greedy, inference, generate text, generation, top-k, top-p, "
    "end of sentence, stop generating, repetition, argmax, randomness, 推理, 生成文本, 贪心, 解码策略, "
    "随机采样",
    "transformer/one_page": "whole code, complete code, minimal implementation, full implementation, "
    "source code, 完整代码, 最简实现",
    "transformer/looking_inside": "interpretability, visualise attention, attention heat map, "
    "heatmap, explain a prediction, probing, what do heads learn, 可解释性, 可视化, 热力图",
    "transformer/real_translation": "machine translation, evaluate a translation, metric, Multi30k, "
    "data set, dataset, sacrebleu, 机器翻译, 评估, 评价指标, 数据集",
    "beyond/language_model": "LLM, GPT, next-token prediction, large language model, ChatGPT, "
    "pretraining, causal LM, 大语言模型, 大模型, 下一个词预测, 预训练",
    "beyond/kv_cache": "key value cache, past_key_values, cache keys and values, faster generation, "
    "use_cache, incremental decoding, 键值缓存, 缓存, 加速推理",
    "beyond/prefill_and_decode": "slow generation, slow at generating, memory bandwidth, "
    "memory-bound, compute-bound, roofline, inference speed, tokens per second, latency, throughput, "
    "推理速度, 推理慢, 生成慢, 内存带宽, 延迟, 吞吐量",
    "beyond/shared_heads": "MQA, GQA, MLA, DeepSeek, num_key_value_heads, smaller cache, "
    "fewer key heads, 共享键值, 缩小缓存",
    "beyond/flash": "FlashAttention, online softmax, memory-efficient attention, tiling, SRAM, "
    "IO-aware, fused kernel, quadratic memory, 内存高效, 分块计算, 闪存注意力",
    "beyond/paged": "PagedAttention, vLLM, memory fragmentation, virtual memory, cache blocks, "
    "prompt caching, 分页, 显存碎片, 分页注意力",
    "beyond/serving": "inference server, many users, concurrent requests, batching requests, deploy, "
    "deployment, in-flight batching, 部署, 并发请求, 推理服务",
    "beyond/scheduling": "scheduler of requests, queue, priority, fairness, TTFT, chunked prefill, "
    "调度, 排队, 优先级",
    "beyond/positions_revisited": "long context, longer context, context length, context window, "
    "extrapolation, length generalisation, rotary, relative positions, position interpolation, NTK, "
    "YaRN, 长上下文, 上下文长度, 外推, 旋转位置",
    "beyond/norms_and_activations": "RMS norm, GELU, swish, gated, Llama layer, modern layer, "
    "root mean square, 门控, 激活函数",
    "beyond/experts": "MoE, sparse model, gating network, routing, Mixtral, top-k routing, "
    "load balance, 稀疏模型, 路由, 专家混合",
    "beyond/families": "BERT, GPT, T5, encoder-only, decoder-only, MLM, prefix LM, span corruption, "
    "BERT vs GPT, 模型家族, 完形填空",
    "beyond/one_page": "Llama code, Llama from scratch, nanoGPT, modern implementation, 现代实现",
    "beyond/recompute": "gradient checkpointing, activation memory, out of memory, OOM, "
    "CUDA out of memory, save memory, torch.utils.checkpoint, 显存不足, 激活内存, 梯度检查点, 省显存",
    "beyond/efficient_training": "AMP, autocast, GradScaler, fp16, bf16, fp8, "
    "mixed-precision training, small GPU, out of memory, gradient overflow, underflow, "
    "effective batch size, 显存不足, 混合精度训练, 小显存",
    "beyond/lora": "fine-tuning, fine-tune, PEFT, adapter, QLoRA, parameter-efficient, low rank, "
    "cheap training, adapt a model, transfer learning, instruction tuning, catastrophic forgetting, "
    "微调, 参数高效微调, 大模型微调, 低秩, 适配器",
    "beyond/many_machines": "distributed training, DDP, FSDP, ZeRO, DeepSpeed, multi-GPU, NCCL, "
    "sharding, data parallelism, 分布式训练, 多卡训练, 多机训练, 多机多卡",
    "beyond/model_parallel": "Megatron, tensor parallelism, pipeline parallelism, model parallelism, "
    "split a model over GPUs, GPipe, 模型并行, 流水线",
    "beyond/scaling_laws": "bigger model, more data, power law, compute budget, Kaplan, 规模定律, "
    "扩展定律, 算力, 数据量",
    "beyond/published_laws": "Chinchilla, tokens per parameter, Hoffmann, how much data, "
    "training tokens, 训练数据量",
    "workshop/start": "exercises, practice, homework, implement it yourself, code challenge, 练习, "
    "动手, 作业",
    "reference/questions": "FAQ, interview questions, frequently asked, 面试题, 常见问题",
    "reference/questions_beyond": "FAQ, interview questions, LLM interview, 面试题, 常见问题",
    "reference/mistakes": "error message, RuntimeError, ValueError, bug, debug, debugging, "
    "does not learn, does not train, shape mismatch, shapes cannot be multiplied, size mismatch, "
    "mat1 and mat2, NaN, nan loss, loss does not go down, loss stuck, wrong output, troubleshooting, "
    "报错, 调试, 错误, 形状不匹配, 不收敛, 损失不下降",
    "reference/mistakes_beyond": "error message, RuntimeError, bug, debug, troubleshooting, "
    "wrong output, 报错, 调试, 错误",
    "reference/notation": "symbols, dimensions, shapes, what does d_model stand for, 符号",
    "reference/glossary": "definitions, vocabulary of terms, dictionary, 术语, 词汇",
    "reference/bibliography": "references, papers, further reading, literature, citations, 参考文献, "
    "论文",
    "reference/api": "documentation, functions, classes, source code, 接口, 函数, 文档",
}


def synonyms_of(page_name: str):
    """Return the words by which readers look for a page, or none."""
    words = SYNONYMS_BY_PAGE.get(page_name)
    return words.split(", ") if words else []

"""What a model costs: parameters, operations, memory, traffic, and the time that requests wait."""

"""What decides whether a change lands: stages, what each depends on, and the pins."""

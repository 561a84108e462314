import pytest

from transformer_book.options import ConfigError
from transformer_book.train import Settings, learning_rate


def test_the_papers_base_model_peaks_at_7e_4():
    rates = [learning_rate(step, 512, 4_000) for step in range(1, 20_001)]
    assert max(rates) == rates[3_999] == pytest.approx(6.9877e-4, rel=1e-4)


@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_it_rises_in_a_straight_line_then_falls_with_the_root(factor):
    rate = lambda step: learning_rate(step, 64, 100, factor)  # noqa: E731
    assert rate(100) == pytest.approx(factor / 80)
    assert [rate(step) / rate(100) for step in (1, 25, 50)] == pytest.approx(
        [0.01, 0.25, 0.5]
    )
    assert [rate(step) / rate(100) for step in (400, 10_000)] == pytest.approx(
        [0.5, 0.1]
    )


def test_a_run_may_cool_down_at_its_end():
    run = Settings(steps=1_000, warmup=100, factor=0.5, cooldown=200)
    for step in (1, 100, 500, 800, 801):
        assert run.learning_rate(step, 64) == learning_rate(step, 64, 100, 0.5)
    for step in (802, 900, 1_000):
        cooled = run.learning_rate(step, 64) / learning_rate(step, 64, 100, 0.5)
        assert cooled == pytest.approx((1_001 - step) / 200)
    never = run.changed(cooldown=0)
    assert never.learning_rate(1_000, 64) == learning_rate(1_000, 64, 100, 0.5)


@pytest.mark.parametrize(
    "name, value", [("step", 0), ("warmup", 0), ("d_model", -1), ("step", 1.5)]
)
def test_wrong_input_is_named(name, value):
    given = dict(step=1, d_model=64, warmup=100) | {name: value}
    with pytest.raises(
        ConfigError, match=f"learning_rate: {name} is {value}; expected"
    ):
        learning_rate(**given)

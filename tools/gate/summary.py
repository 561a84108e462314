"""What a run of the gate says: how each stage ended, and at the end all of them at a glance."""

import sys

from . import omissions
from .run import StageResult, Verdict

STAGE_NAME_WIDTH = 9  # of the longest name of a stage


def print_progress(stage_name: str, result: StageResult):
    """Say that a stage begins, if its output is not held back, or how it ended."""
    if result is None:
        print(f"\n== {stage_name}", flush=True)
        return
    print(f"== {_stage_line(stage_name, result)}", flush=True)
    if result.verdict == Verdict.FAILED and result.output:
        encoding = sys.stdout.encoding  # may lack a letter of the output
        output = result.output.encode(encoding, "backslashreplace").decode(encoding)
        print(output.rstrip() + "\n", flush=True)


def _stage_line(stage_name: str, result: StageResult) -> str:
    seconds = (
        ""
        if result.verdict == Verdict.PASSED_BEFORE or result.why
        else f"{result.seconds:6.0f} s"
    )
    why = f", {result.why}" if result.why else ""
    return f"{stage_name:{STAGE_NAME_WIDTH}} {seconds:8}  {result.verdict}{why}"


def format_summary(results_by_name: dict[str, StageResult], seconds) -> str:
    """Return the last lines of a run: every stage, what was left out, and what to do about that."""
    lines = [
        "",
        *(_stage_line(name, result) for name, result in results_by_name.items()),
    ]
    lines.append(f"{'':{STAGE_NAME_WIDTH}} {seconds:6.0f} s  in all")
    notes = [
        f"  {name}: {note}"
        for name, result in results_by_name.items()
        for note in result.notes
    ]
    if notes:
        lines += ["", "Left out on this machine:", *notes]
    return "\n".join([*lines, "", _verdict_line(results_by_name)])


def _verdict_line(results_by_name: dict[str, StageResult]) -> str:
    failing = names_of_failing_stages(results_by_name)
    if not failing:
        return (
            "Passed, but for what was left out."
            if _names_of_left_out_stages(results_by_name)
            else "Passed."
        )
    if [*failing] == _names_of_left_out_stages(results_by_name):
        required = f"everything is required here ({omissions.REQUIRE_VARIABLE}=all)"
        return f"Failed: {required}, and {', '.join(failing)} left something out."
    return f"Failed: {', '.join(failing)}."


def _names_of_left_out_stages(results_by_name) -> list:
    return [
        name
        for name, result in results_by_name.items()
        if result.verdict == Verdict.LEFT_OUT
    ]


def names_of_failing_stages(results_by_name) -> list[str]:
    """Return the names of the stages for which the run has failed."""
    failing = {Verdict.FAILED, Verdict.NOT_RUN} | (
        {Verdict.LEFT_OUT} if omissions.is_everything_required() else set()
    )
    return [
        name for name, result in results_by_name.items() if result.verdict in failing
    ]

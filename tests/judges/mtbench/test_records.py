"""The names of judges."""

from judges.mtbench.records import Judge, judge_names


def test_judges_are_told_apart_by_as_little_as_does_it():
    judges = [
        Judge("1", "gpt", "single-v1", "aaaaaaaaaaaa", "fastchat"),
        Judge("2", "gpt", "single-v1", "bbbbbbbbbbbb", "fastchat"),
        Judge("3", "gpt", "other", "", "fastchat"),
        Judge("4", "claude", "single-v1", "aaaaaaaaaaaa", "fastchat"),
        Judge("5555555555", "same", "p", "w", "f"),
        Judge("6666666666", "same", "p", "w", "f"),
    ]
    assert judge_names(judges) == {
        "1": "gpt · single-v1 · aaaaaa",
        "2": "gpt · single-v1 · bbbbbb",
        "3": "gpt · other",
        "4": "claude",
        "5555555555": "same · p · w · f · 555555",
        "6666666666": "same · p · w · f · 666666",
    }

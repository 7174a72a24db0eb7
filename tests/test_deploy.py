"""What stands in deploy/: the image's steps are run here, and each file is read by the program that it is meant for."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from judges.version import VERSION
from tests.server import OURS, free_port

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
Step = tuple[str, str]


def steps(text: str) -> list[Step]:
    """(instruction, arguments) of a Dockerfile, its continued lines put together."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    parts = (line.partition(" ") for line in whole.splitlines() if line.strip())
    return [(word, rest.strip()) for word, _, rest in parts]


@pytest.fixture(scope="module")
def stages() -> list[list[Step]]:
    """The stages of the image; the last one is what is started."""
    stages: list[list[Step]] = []
    for step in steps((DEPLOY / "Dockerfile").read_text(encoding="utf-8")):
        if step[0] == "FROM":
            stages.append([])
        stages[-1].append(step)
    return stages


def of(stage: list[Step], word: str) -> list[str]:
    return [rest for name, rest in stage if name == word]


def reaches_builder(path: str) -> bool:
    """Whether .dockerignore lets a path of the project go to the builder."""
    inside = False
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.removeprefix("!")
        if not line or line.startswith("#"):
            continue
        if fnmatch(path, pattern) or path.startswith(f"{pattern}/") or fnmatch(path, pattern.replace("**/", "*/")):
            inside = line.startswith("!")
    return inside


def settings(stage: list[Step]) -> dict[str, str]:
    return dict(pair.split("=", 1) for line in of(stage, "ENV") for pair in shlex.split(line))


def test_the_image_is_as_small_and_as_closed_as_it_says(stages):
    last = stages[-1]
    user = of(last, "USER")[-1]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), "a number, so that Kubernetes can see that it is not root"
    assert all(re.fullmatch(r"python:3\.\d+-slim-\w+( AS \w+)?", of(stage, "FROM")[0]) for stage in stages)
    assert not [rest for stage in stages for rest in of(stage, "ADD")]
    assert not re.search(r"(?i)secret|password|api_key|token", " ".join(settings(last)))
    copied = {word for rest in of(last, "COPY") if "--from" not in rest for word in shlex.split(rest)[:-1]}
    assert not copied & {".", "tests", "deploy", ".streamlit"}
    for stage in stages:
        for rest in of(stage, "COPY"):
            for source in shlex.split(rest)[:-1]:
                assert source.startswith(("-", "/")) or ((ROOT / source).exists() and reaches_builder(source)), source
    assert reaches_builder("data/store/base.py") and reaches_builder("requirements-ray.txt")
    for private in (".streamlit/secrets.toml", "assay.duckdb", "backups/x.duckdb", ".env", "tests/server.py"):
        assert not reaches_builder(private), private


def test_the_images_steps_are_clean():
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if linter is None:
        pytest.skip("hadolint, which reads Dockerfiles, is not installed")
    process = subprocess.run([linter, DEPLOY / "Dockerfile"], capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr


def test_every_version_of_the_image_is_this_one():
    assert f"assay:{VERSION}" in (DEPLOY / "compose.yaml").read_text(encoding="utf-8")


@pytest.fixture
def image(stages: list[list[Step]], tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with just what the image's last stage copies, compiled as it says, and its environment."""
    app = tmp_path / "app"
    app.mkdir()
    for rest in of(stages[-1], "COPY"):
        if rest.startswith("--from"):
            continue
        *sources, to = shlex.split(rest)
        for source in sources:
            aim = app / (to if len(sources) == 1 and not to.endswith("/") and to != "./" else Path(source).name)
            aim.parent.mkdir(parents=True, exist_ok=True)
            skipped = shutil.ignore_patterns("__pycache__")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, aim, ignore=skipped)
            else:
                shutil.copyfile(ROOT / source, aim)
    outside = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
    variables = {k: v for k, v in settings(stages[-1]).items() if k != "PATH"}
    folders = {"ASSAY_STORE": f"duckdb:///{tmp_path}/workspace/assay.duckdb", "HOME": str(tmp_path / "home")}
    near = {"ASSAY_PORT": str(free_port()), "STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{outside.get('PATH', '')}"
    yield app, {**outside, **variables, **folders, **near, "PATH": path}


def files(folder: Path) -> dict[str, int]:
    return {str(f.relative_to(folder)): f.stat().st_mtime_ns for f in sorted(folder.rglob("*"))}


@pytest.mark.slow
def test_the_images_steps_run(stages, image, tmp_path):
    """What is copied is enough to start, nothing is written to it, its health check passes, and SIGTERM ends it."""
    app, environment = image
    last = stages[-1]
    for step in of(last, "RUN"):
        if "/opt/assay/bin/python" in step:
            step = step.replace("/opt/assay/bin/python", sys.executable)
            subprocess.run(["sh", "-c", step], cwd=app, env=environment, check=True, timeout=300)
    before = files(app)
    check = json.loads(of(last, "HEALTHCHECK")[0].partition("CMD ")[2])
    command = json.loads(of(last, "CMD")[0])
    log = tmp_path / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=app, env=environment, stdout=out, stderr=out)
    try:
        until = time.monotonic() + 90
        while subprocess.run(check, env=environment, capture_output=True).returncode:
            assert process.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.3)
    finally:
        process.send_signal(signal.SIGTERM)
        ended = process.wait(60)
    log_text = log.read_text()
    assert ended in (0, -signal.SIGTERM) and "server_stopped" in log_text, log_text
    assert all(json.loads(line)["event"] for line in log_text.splitlines() if line.startswith("{"))
    assert files(app) == before
    after = subprocess.run(check, env=environment, capture_output=True)
    assert after.returncode, "the health check says so when nothing answers"


def test_compose_has_two_closed_replicas_and_a_database_that_only_they_reach():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    services = compose["services"]
    replicas = {name for name in services if name.startswith("assay-")}
    servers = set(re.findall(r"server (assay-\d+):8501", (DEPLOY / "nginx.conf").read_text(encoding="utf-8")))
    assert replicas == servers == {"assay-1", "assay-2"}
    for name in replicas:
        service = services[name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and "ports" not in service
    assert "ports" not in services["postgres"] and services["postgres"]["networks"] == ["inside"]
    assert compose["networks"]["inside"]["internal"]
    for service in services.values():
        assert re.search(r":\d", service["image"]), f"{service['image']} says its version"


def test_every_setting_of_the_examples_is_written_down():
    known = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8") + (ROOT / "docs" / "team.md").read_text(
        encoding="utf-8"
    )
    for file in sorted(DEPLOY.iterdir()):
        for name in re.findall(r"\b(?:ASSAY|OPENAI|STREAMLIT)_[A-Z_]+\b", file.read_text(encoding="utf-8")):
            assert f"`{name}`" in known or f"{name}=" in known, f"{file.name}: {name}"


def test_systemd_takes_the_unit():
    if not (reader := shutil.which("systemd-analyze")):
        pytest.skip("systemd-analyze, which reads units, is not installed")
    process = subprocess.run([reader, "verify", DEPLOY / "assay@.service"], capture_output=True, text=True)
    wrong = [line for line in process.stderr.splitlines() if "assay@" in line and "is not executable" not in line]
    assert not wrong, "\n".join(wrong)


def test_nginx_takes_its_settings(tmp_path):
    nginx = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
    if nginx is None:
        pytest.skip("nginx is not installed")
    config = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    config = re.sub(r"assay-(\d):8501", r"127.0.0.1:1850\1", config)
    config = re.sub(r"\n\s*ssl_certificate(_key)? [^;]*;[^\n]*", "", config)
    config = config.replace("listen 443 ssl", "listen 8443").replace("/tmp/nginx", str(tmp_path / "nginx"))
    config = config.replace("/run/nginx", str(tmp_path / "nginx"))
    (tmp_path / "nginx.conf").write_text(config)
    process = subprocess.run([nginx, "-t", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr

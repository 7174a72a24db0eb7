"""Streamlit's own files and the bundled ones come from memory, whole, packed where asked for, and no others do."""

from __future__ import annotations

import gzip
import http.client

from pages.parts import bundle
from pages.parts.assets import FOLDER
from tests.server import Server


def asked(app: Server, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a GET, whose path is sent as it stands."""
    line = http.client.HTTPConnection("127.0.0.1", app.port, timeout=20)
    line.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = line.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def test_files_are_whole_and_packed_where_asked_for(assay: Server) -> None:
    script, font = next(FOLDER.rglob("protobuf.*.js")), next(FOLDER.rglob("*.woff2"))
    own = [(f"/static/{file.relative_to(FOLDER).as_posix()}", file, file is script) for file in (script, font)]
    for path, file, packs in (*own, *((path, file, True) for path, file in bundle.files().items())):
        for _ in range(2):  # read, then remembered
            status, headers, body = asked(assay, path, Accept_Encoding="gzip, br")
            assert (status, headers.get("content-encoding")) == (200, "gzip" if packs else None)
            assert (gzip.decompress(body) if packs else body) == file.read_bytes()
            assert "immutable" in headers["cache-control"] and headers["vary"] == "accept-encoding"
            assert headers["x-content-type-options"] == "nosniff"
        status, headers, body = asked(assay, path)
        assert (status, body) == (200, file.read_bytes()) and "content-encoding" not in headers
    path = f"/static/{script.relative_to(FOLDER).as_posix()}"
    assert "javascript" in asked(assay, path)[1]["content-type"]
    assert asked(assay, path, Range="bytes=0-9")[2] == script.read_bytes()[:10]
    for elsewhere in ("/static/js/../../index.html", "/static/js/none.js", "/static/..%2f..%2f__init__.py"):
        assert b"import" not in asked(assay, elsewhere)[2][:400]

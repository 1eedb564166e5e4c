"""The rollback of the pipeline: the files of an earlier release are deployed again."""

import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from checks import call, expect
from stack import ROOT

LOGOUT = "/app/auth/logout.php"


def release(*arguments: object) -> None:
    """Runs scripts/deploy/release."""
    subprocess.run([ROOT / "scripts/deploy/release", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def packed(folder: Path, architecture: str) -> Path:
    """A release with the present zips."""
    folder.mkdir()
    for zipped in (ROOT / "target/lambda" / architecture).glob("*/bootstrap.zip"):
        shutil.copy(zipped, folder / f"{zipped.parent.name}-{architecture}.zip")
    release("sums", folder)
    return folder


def live(deployment) -> str:
    """The digest of the code that the live alias of one function runs."""
    function = deployment.client("lambda").get_function(FunctionName=deployment.functions["Logout"], Qualifier="live")
    return function["Configuration"]["CodeSha256"]


def rehearsed(deployment) -> None:
    """Deploys a release with other code, and then the files of the earlier one."""
    with tempfile.TemporaryDirectory() as work:
        earlier = packed(Path(work, "earlier"), deployment.architecture)
        before = live(deployment)
        with zipfile.ZipFile(ROOT / "target/lambda" / deployment.architecture / "logout/bootstrap.zip", "a") as zipped:
            zipped.writestr("changed", "x")
        later = packed(Path(work, "later"), deployment.architecture)
        for folder, is_before in ((later, False), (earlier, True)):
            release("take", folder, deployment.architecture)
            deployment.deploy()
            expect((live(deployment) == before) is is_before, f"the live code is that of the {folder.name} release", live(deployment))
            answer = call(deployment, LOGOUT)
            expect(answer[0] == 200 and answer[1]["success"] is True, f"the {folder.name} release answers", answer)

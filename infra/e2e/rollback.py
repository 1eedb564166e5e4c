"""The ways back: the files of an earlier release are deployed again, and a restored table takes the place of the stack's own."""

import shutil
import subprocess
import tempfile
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from checks import call, expect, registered
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


def restored(deployment) -> None:
    """Restores the table of accounts to a moment, as infra/restore.md does, and deploys a stack with it in the place of its own. An
    update would need the emulator to keep the attributes of roles while the policies beside them change; it loses them."""
    dynamodb = deployment.client("dynamodb")
    before = registered(deployment, "antes@example.com")
    time.sleep(1)
    old, new = deployment.output("AccountsTableName"), f"{deployment.name}-accounts-restored"
    dynamodb.restore_table_to_point_in_time(SourceTableName=old, TargetTableName=new, RestoreDateTime=datetime.now(UTC))
    dynamodb.get_waiter("table_exists").wait(TableName=new)
    after = registered(deployment, "despues@example.com")
    dynamodb.update_time_to_live(TableName=new, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"})
    dynamodb.update_table(TableName=new, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    stream = dynamodb.describe_table(TableName=new)["Table"]["LatestStreamArn"]
    other = deployment.beside("restored", RestoredAccountsTable=new, RestoredAccountsStreamArn=stream)
    expect(other.output("AccountsTableName") == new, "the stack has the restored table", other.output("AccountsTableName"))
    expect("AccountsTable" not in other.resources(), "the stack has no table of its own", other.resources())
    for stack, who, knows in ((other, before, True), (other, after, False), (deployment, after, True)):
        answer = call(stack, "/app/auth/sendLogin.php", **who)
        expect(answer[1]["success"] is knows, f"{stack.name} {'knows' if knows else 'does not know'} {who['email']}", answer)

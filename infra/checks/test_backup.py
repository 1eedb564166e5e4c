"""Tests of infra/backup.yaml and infra/backup-vault.yaml: how long copies are kept, who can delete them, and what the role may do."""

import copy
import json
import unittest

from rules import ROOT, of_type, statements

TEMPLATES = {name: json.loads((ROOT / f"target/checks/{name}.json").read_text(encoding="utf-8")) for name in ("backup", "backup-vault", "template")}
# DynamoDB's own backups are this old at the most, and so are deleted accounts in them.
DAYS = 35
RECOVERY_POINTS = "arn:${AWS::Partition}:backup:${AWS::Region}:${AWS::AccountId}:recovery-point:*"


def faults(all_: dict) -> list[str]:
    """The faults of the templates."""
    plan = of_type(all_["backup"], "AWS::Backup::BackupPlan")["Plan"]["BackupPlan"]["BackupPlanRule"][0]
    copied = {one["Lifecycle"]["DeleteAfterDays"] for one in plan["CopyActions"]}
    found = [] if copied == {DAYS} else ["copies are not kept for as long as the backups of DynamoDB"]
    lock = of_type(all_["backup-vault"], "AWS::Backup::BackupVault")["Vault"].get("LockConfiguration", {})
    locked = {lock.get("MinRetentionDays"), lock.get("MaxRetentionDays")} == {DAYS} and "ChangeableForDays" in lock
    found += [] if locked else ["the lock of the copies does not hold for exactly their retention, for ever"]
    retention = all_["template"]["Parameters"]["LogRetentionDays"]["AllowedValues"]
    found += [] if plan["Lifecycle"]["DeleteAfterDays"] <= DAYS < min(retention) else ["a copy outlives the log of the erasures"]
    vaults = [one for name in ("backup", "backup-vault") for one in all_[name]["Resources"].values() if one["Type"] == "AWS::Backup::BackupVault"]
    for vault in vaults:
        for statement in vault["Properties"]["AccessPolicy"]["Statement"]:
            found += [] if statement["Action"] == ["backup:CopyIntoBackupVault"] and "*" not in json.dumps(statement["Principal"]) else ["more than one account may do more than copy"]
        found += [] if vault.get("DeletionPolicy") == vault.get("UpdateReplacePolicy") == "Retain" else ["a vault is deleted with its stack"]
    for name, one in statements(all_["backup"]):
        wide = "*" in json.dumps([one["Action"], one["Resource"]]).replace(RECOVERY_POINTS, "")
        found += [f"{name} may do too much"] if wide else []
    bounded = all("PermissionsBoundary" in one and "ManagedPolicyArns" not in one for one in of_type(all_["backup"], "AWS::IAM::Role").values())
    return found + ([] if bounded else ["a role has no boundary, or a policy of AWS"])


class Backup(unittest.TestCase):
    """The templates, and the detection of mistakes in them."""

    def test_copies_outlive_the_account_but_not_the_log_of_the_erasures_and_nobody_can_delete_them(self):
        self.assertEqual(faults(TEMPLATES), [])

    def test_each_mistake_is_detected(self):
        def properties(all_: dict, template: str, name: str) -> dict:
            return all_[template]["Resources"][name]["Properties"]

        rule = lambda a: properties(a, "backup", "Plan")["BackupPlan"]["BackupPlanRule"][0]
        for mistake in (
            lambda a: rule(a)["CopyActions"][0]["Lifecycle"].update(DeleteAfterDays=90),
            lambda a: rule(a)["Lifecycle"].update(DeleteAfterDays=90),
            lambda a: properties(a, "backup-vault", "Vault")["LockConfiguration"].pop("ChangeableForDays"),
            lambda a: properties(a, "backup-vault", "Vault")["LockConfiguration"].update(MaxRetentionDays=365),
            lambda a: properties(a, "backup-vault", "Vault")["AccessPolicy"]["Statement"][0].update(Principal="*"),
            lambda a: a["backup-vault"]["Resources"]["Vault"].pop("DeletionPolicy"),
            lambda a: properties(a, "backup", "Role")["Policies"][0]["PolicyDocument"]["Statement"][0].update(Resource="*"),
            lambda a: properties(a, "backup", "Role").pop("PermissionsBoundary"),
            lambda a: a["template"]["Parameters"]["LogRetentionDays"]["AllowedValues"].append(30),
        ):
            broken = copy.deepcopy(TEMPLATES)
            mistake(broken)
            self.assertEqual(len(faults(broken)), 1)


if __name__ == "__main__":
    unittest.main()

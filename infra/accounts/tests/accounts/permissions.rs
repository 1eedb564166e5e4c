//! Checks that the policies of `infra/permissions.yaml` for operators allow the calls that the tool makes.

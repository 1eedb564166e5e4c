//! Claims about the identity provider and about entries.

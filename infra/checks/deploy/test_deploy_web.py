"""Tests of scripts/deploy/deploy-web: which files of web/ it uploads."""

import importlib.util
import os
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[3]
LOADER = SourceFileLoader("deploy_web", str(ROOT / "scripts/deploy/deploy-web"))
deploy_web = importlib.util.module_from_spec(importlib.util.spec_from_loader("deploy_web", LOADER))
LOADER.exec_module(deploy_web)


class Files(unittest.TestCase):
    """The files of this repository, and those of a folder with one more file."""

    def test_of_the_client_only_the_modules_are_uploaded(self):
        uploaded = {key for key in deploy_web.files({}) if key.startswith("client/")}
        self.assertIn("client/index.js", uploaded)
        self.assertTrue((ROOT / "web/client/package.json").is_file())
        self.assertEqual({key for key in uploaded if not key.endswith(".js")}, set())

    def test_the_types_of_the_pages_are_not_uploaded(self):
        self.assertTrue((ROOT / "web/assets/types.ts").is_file())
        self.assertEqual([key for key in deploy_web.files({}) if key.endswith(".ts")], [])

    def test_a_file_of_an_unknown_kind_elsewhere_ends_the_upload(self):
        with tempfile.TemporaryDirectory() as folder:
            self.addCleanup(setattr, deploy_web, "WEB", deploy_web.WEB)
            deploy_web.WEB = Path(folder)
            (deploy_web.WEB / "client/types").mkdir(parents=True)
            for name in ("index.html", "client/index.js", "client/README.md", "client/types/index.d.ts"):
                (deploy_web.WEB / name).write_text("x", encoding="utf-8")
            self.assertEqual(set(deploy_web.files({})), {"config.json", "index.html", "client/index.js"})
            (deploy_web.WEB / "notes.md").write_text("x", encoding="utf-8")
            with self.assertRaises(SystemExit):
                deploy_web.files({})


class UnfinishedTexts(unittest.TestCase):
    """The legal texts, whose places only the operator can fill in."""

    def test_a_text_with_a_place_to_fill_in_ends_the_upload_unless_it_is_allowed(self):
        model = {"terminos.html": "<mark>[Rellenar: fecha]</mark>".encode(), "index.html": b"x"}
        with patch.dict(os.environ):
            os.environ.pop("UNFINISHED", None)
            with self.assertRaisesRegex(SystemExit, "terminos.html"):
                deploy_web.refuse_unfinished_texts(model)
            deploy_web.refuse_unfinished_texts({**model, "terminos.html": b"1 de enero"})
            os.environ["UNFINISHED"] = "yes"
            deploy_web.refuse_unfinished_texts(model)


class SecurityContact(unittest.TestCase):
    """The file security.txt, whose values only the operator knows."""

    def test_without_a_contact_the_file_is_not_uploaded(self):
        self.assertTrue((ROOT / "web" / deploy_web.SECURITY).is_file())
        self.assertNotIn(deploy_web.SECURITY, deploy_web.files({}))

    def test_a_file_without_a_contact_or_a_time_to_come_ends_the_upload(self):
        contact, expires = "Contact: mailto:seguridad@example.com\n", "Expires: 2999-01-01T00:00:00Z\n"
        deploy_web.refuse_an_expired_contact({deploy_web.SECURITY: (contact + expires).encode()})
        deploy_web.refuse_an_expired_contact({})
        for text in (contact, expires, contact + "Expires: 2020-01-01T00:00:00Z\n", contact + "Expires: pronto\n", contact + "Expires: 2999-01-01\n"):
            with self.assertRaises(SystemExit, msg=text):
                deploy_web.refuse_an_expired_contact({deploy_web.SECURITY: text.encode()})


class Settings(unittest.TestCase):
    """The settings of the pages, /config.json."""

    def test_the_pages_know_when_a_session_ends(self):
        found = deploy_web.config({"SessionIdleSeconds": "7200", "SessionAbsoluteSeconds": "604800"})
        self.assertEqual(found, {"idleSeconds": 7200, "absoluteSeconds": 604800})


if __name__ == "__main__":
    unittest.main()

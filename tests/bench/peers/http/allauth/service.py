"""django-allauth, headless, with Argon2id and its tables in SQLite.

`python service.py migrate` makes the tables, gunicorn serves `service:application`.
Settings: DATABASE (a file), GOOGLE_CLIENT_ID, GOOGLE_KEYS_URL, SECRET_KEY.
"""

import os
import sys

import django
from django.conf import settings
from django.contrib.auth.hashers import Argon2Argon2Implementation


class OwaspArgon2Argon2Implementation(Argon2Argon2Implementation):
    """19456 KiB, two passes, one lane; Django's own default is 102400 KiB and eight lanes."""

    memory_cost = 19456
    time_cost = 2
    parallelism = 1


settings.configure(
    DEBUG=False,
    ALLOWED_HOSTS=["127.0.0.1"],
    SECRET_KEY=os.environ["SECRET_KEY"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "allauth",
        "allauth.account",
        "allauth.headless",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.google",
    ],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    # Django's own backend behind it would hash a wrong password a second time.
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    ARGON2_IMPLEMENTATIONS=[f"{__name__}.OwaspArgon2Argon2Implementation"],
    AUTH_PASSWORD_VALIDATORS=[{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["DATABASE"],
            "CONN_MAX_AGE": None,
            # Writers in turn, readers beside them, and no waiting for the disk: the other services keep all in memory.
            "OPTIONS": {
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
                "timeout": 20,
                "transaction_mode": "IMMEDIATE",
            },
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    ACCOUNT_LOGIN_METHODS={"email"},
    ACCOUNT_SIGNUP_FIELDS=["email*", "password1*"],
    ACCOUNT_EMAIL_VERIFICATION="none",
    ACCOUNT_RATE_LIMITS=False,
    HEADLESS_ONLY=True,
    HEADLESS_CLIENTS=("app",),
    SOCIALACCOUNT_PROVIDERS={
        "google": {
            "APPS": [{"client_id": os.environ["GOOGLE_CLIENT_ID"], "secret": "not used for a credential"}],
            "CERTS_URL": os.environ["GOOGLE_KEYS_URL"],
        }
    },
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [path("_allauth/", include("allauth.headless.urls"))]

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
else:
    application = get_wsgi_application()

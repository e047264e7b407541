"""Settings of MkDocs that depend on where the site and the sources are: ORDO_SITE_URL and ORDO_REPOSITORY_URL, where they are set."""
import os
from pathlib import Path


def settings():
    site, repository = os.environ.get("ORDO_SITE_URL"), os.environ.get("ORDO_REPOSITORY_URL")
    return {"theme": {"custom_dir": str(Path(__file__).parent.resolve() / "theme")}, **({"site_url": site.rstrip("/") + "/"} if site else {}),
            **({"repo_url": repository, "repo_name": "Sources"} if repository else {})}

"""Package metadata is read from settings.ini, so that nbdev and pip agree."""
from configparser import ConfigParser
from pathlib import Path
from setuptools import find_packages, setup

config = ConfigParser(delimiters=["="])
config.read("settings.ini", encoding="utf-8")
cfg = config["DEFAULT"]
extras = {k.removesuffix("_requirements"): cfg[k].split() for k in cfg if k.endswith("_requirements")}
extras["all"] = sorted({r for name, reqs in extras.items() if name not in ("dev", "quant", "stanza") for r in reqs})

setup(
    name=cfg["lib_name"], version=cfg["version"], description=cfg["description"], keywords=cfg["keywords"],
    author=cfg["author"], author_email=cfg["author_email"], url=cfg["git_url"], license="Apache-2.0",
    long_description=Path("README.md").read_text(encoding="utf-8") if Path("README.md").exists() else "",
    long_description_content_type="text/markdown",
    packages=find_packages(include=["concrete_jungle", "concrete_jungle.*"]), include_package_data=True, zip_safe=False,
    python_requires=f">={cfg['min_python']}", install_requires=cfg["requirements"].split(), extras_require=extras,
    entry_points={"console_scripts": cfg["console_scripts"].split(), "nbdev": [f"{cfg['lib_name']}={cfg['lib_name']}._modidx:d"]},
    classifiers=["Development Status :: 3 - Alpha", "Intended Audience :: Science/Research",
                 "License :: OSI Approved :: Apache Software License", "Programming Language :: Python :: 3"],
)

.PHONY: core test test-all check size fuzz bench api notebooks serve

core: # bleu_core.py, from the files in bleu_core/
	python package/join.py

test: # the first tier
	python -m pytest tests --ignore=tests/ecosystem --ignore=tests/demo/browser -n auto --dist loadfile

test-all: # both tiers; files of the second skip by name what isn't installed
	python -m pytest tests --slow

check:
	ruff check .
	ruff format --check .
	python tests/types_check.py

size: # statements by file
	python tests/size.py

fuzz: # two million segments
	python tests/fuzz.py

bench: # the tables of docs/
	for name in adversarial captions chance checks demo intervals methods published scale significance speed; do python tests/benchmarks/$$name.py || exit 1; done

api: # docs/api.md, from the docstrings
	python tests/api_reference.py

notebooks: # executed again, with what they show stored in them
	python tests/notebooks.py

serve:
	python app.py

"""Programs that the tests start are none of them."""

collect_ignore = ["python_client.py"]

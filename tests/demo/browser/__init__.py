"""The Space in a real browser, and its endpoints by gradio_client: what a visitor does, what comes out."""

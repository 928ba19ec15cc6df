"""How a result looks: text, tables, HTML, pictures."""

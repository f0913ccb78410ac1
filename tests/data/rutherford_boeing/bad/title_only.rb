a title

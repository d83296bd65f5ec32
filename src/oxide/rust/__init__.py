"""Everything about rustc and cargo: which to use, projects and their settings, flags, the backend's link, the socket, child processes."""

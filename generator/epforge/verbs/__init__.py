"""What each verb does, as functions: the command line prints it, `import epforge` returns it."""

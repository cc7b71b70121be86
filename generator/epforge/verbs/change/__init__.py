"""What the verbs share that change a project: from the call to the files published."""

"""The verbs: functions that Python calls, and commands that read options, call them and print. One file a verb."""

"""The commands of `otherminds`, one file a group; `options` and `screen` hold what they share."""

"""Conversations and evaluation cases, rebuilt from the messages, traces and records of other tools."""

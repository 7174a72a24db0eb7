"""Webhooks: addresses of a team's own that are told when a queue is finished, an approval changes or a run ends.

`webhooks` are the addresses, `events` what there is to tell, `outbox` what is still to be told to whom,
`signed_request` one request, and `deliverer` the thread that sends.
"""

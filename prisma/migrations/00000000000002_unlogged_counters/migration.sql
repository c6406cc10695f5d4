-- Counters of limits and delays may be lost in a crash, and must not cost a write to the log on each request.
ALTER TABLE "rate_limits" SET UNLOGGED;
ALTER TABLE "sign_in_delays" SET UNLOGGED;

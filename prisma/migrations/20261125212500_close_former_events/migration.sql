-- Events from before these settings promised reports by invite, so they take none without an account either.
UPDATE event_report_settings SET without_account = false WHERE who_can_report = 'invite';

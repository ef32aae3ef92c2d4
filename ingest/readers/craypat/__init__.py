"""CrayPat's reports: `craypat_report` says what is in them, `craypat_profile` makes a profile of one."""

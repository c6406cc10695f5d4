/** Zones to suggest where the whole list would be too long: one or two for each clock that many people live by. */
export const COMMON_TIME_ZONES: readonly string[] = `
  Africa/Cairo Africa/Johannesburg Africa/Lagos Africa/Nairobi America/Bogota America/Chicago
  America/Denver America/Halifax America/Los_Angeles America/Mexico_City America/New_York
  America/Sao_Paulo Asia/Dhaka Asia/Dubai Asia/Jakarta Asia/Jerusalem Asia/Karachi Asia/Kolkata
  Asia/Shanghai Asia/Singapore Asia/Tokyo Australia/Sydney Europe/Athens Europe/Berlin Europe/Istanbul
  Europe/Lisbon Europe/London Europe/Madrid Europe/Paris Pacific/Auckland`
  .trim()
  .split(/\s+/);

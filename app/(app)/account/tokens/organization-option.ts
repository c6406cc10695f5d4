/** Prefix that distinguishes an organization from an event among the values of the field "Where". */
export const ORGANIZATION_OPTION_VALUE_PREFIX = "organization:";

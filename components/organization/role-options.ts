import { useTranslator } from "#i18n";

/**
 * Returns the roles of an organization with what they allow, for a select or radio group; the lower one
 * first.
 */
export function useOrganizationRoleOptions() {
  const t = useTranslator("organization");
  const roles = useTranslator("incident");
  return (["org_viewer", "org_admin"] as const).map((value) => ({
    value,
    label: roles(`role.${value}`),
    hint: t(`role.${value}.about`),
  }));
}

import { useTranslator } from "#words";

/** The roles of an organization as a select or radio group offers them, with what they may do; the lesser one first. */
export function useRoleOptions() {
  const t = useTranslator("organization");
  const roles = useTranslator("incident");
  return (["org_viewer", "org_admin"] as const).map((value) => ({
    value,
    label: roles(`role.${value}`),
    hint: t(`role.${value}.about`),
  }));
}

/** Hidden fields of a form, one for each value that isn't null or undefined. */
export const HiddenInputs = ({ values }: { values: Record<string, string | null | undefined> }) =>
  Object.entries(values).map(([name, value]) =>
    value === null || value === undefined ? null : (
      <input key={name} type="hidden" name={name} value={value} />
    ),
  );

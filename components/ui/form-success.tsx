import type { FormState } from "#lib/design/form-state.ts";
import { Notice } from "./notice.tsx";

/** The message of a form that was accepted; renders nothing without one. */
export function FormSuccess({ state }: { state: FormState }) {
  if (!state.ok || !state.message) return null;
  return (
    <Notice kind="success" live>
      <p>{state.message}</p>
    </Notice>
  );
}

import { Notice } from "#components/ui/notice.tsx";
import { LostFocusTarget } from "./focus-target.tsx";

type Props = { /** `after` in the address. */ after: unknown; messages: Record<string, string> };

/** Confirms the last action by its code in the URL, and takes the focus; renders nothing for unknown codes. */
export function CompletedActionNotice({ after, messages }: Props) {
  if (typeof after !== "string" || !Object.hasOwn(messages, after)) return null;
  return (
    <LostFocusTarget>
      <Notice kind="success" live>
        <p>{messages[after]}</p>
      </Notice>
    </LostFocusTarget>
  );
}

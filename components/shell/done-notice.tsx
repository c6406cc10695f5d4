import { Notice } from "#components/ui/notice.tsx";
import { FocusTarget } from "./takes-focus.tsx";

type Props = { /** `after` in the address. */ after: unknown; words: Record<string, string> };

/**
 * Confirms the last action by its code in the address, and takes the focus; renders nothing for unknown
 * codes.
 */
export function DoneNotice({ after, words }: Props) {
  if (typeof after !== "string" || !Object.hasOwn(words, after)) return null;
  return (
    <FocusTarget>
      <Notice kind="success" live>
        <p>{words[after]}</p>
      </Notice>
    </FocusTarget>
  );
}

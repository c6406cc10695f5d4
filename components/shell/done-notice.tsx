import { Notice } from "#components/ui/notice.tsx";
import { FocusTarget } from "./takes-focus.tsx";

type Props = { /** `after` in the address. */ after: unknown; words: Record<string, string> };

/** What was just done, by the word that the address brings; nothing for words that aren't ours. It takes the focus. */
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

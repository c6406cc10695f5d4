"use client";

import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { useTranslator } from "#i18n";
import { Icon } from "#components/ui/icon.tsx";
import type { RunnableJumpCommand } from "./commands.ts";
import { type JumpTarget, type JumpTargetGroup } from "./targets.ts";
import { useJumpResults } from "./use-jump-results.ts";

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  pages: readonly JumpTarget[];
  /** The commands of the present page. */
  commands: readonly RunnableJumpCommand[];
};

/** A search field with its results, the first one selected, so that a few letters and Enter are enough. */
export function JumpDialog({ open, onOpenChange, pages, commands }: Props) {
  const t = useTranslator("jump");
  const [search, setSearch] = useState("");
  const results = useJumpResults(search, pages, commands);
  const chosenCommand = useRef<() => void>(undefined);
  const router = useRouter();

  function go(target: JumpTarget) {
    onOpenChange(false);
    setSearch("");
    if (target.run) chosenCommand.current = target.run;
    else router.push(target.href);
  }

  /** Runs the command once this dialog has closed, because the command may open a dialog of its own. */
  function runChosenCommand(isOpen: boolean) {
    if (isOpen) return;
    const run = chosenCommand.current;
    chosenCommand.current = undefined;
    run?.();
  }

  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange} onOpenChangeComplete={runChosenCommand}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[rgb(12_14_14/0.55)]" />
        <Dialog.Viewport className="fixed inset-0 z-50 flex items-start justify-center p-2 sm:pt-24">
          <Dialog.Popup
            aria-label={t("title")}
            className="flex max-h-[min(36rem,calc(100dvh-1rem))] w-full max-w-xl flex-col overflow-hidden rounded-surface border border-edge bg-surface"
          >
            <JumpSearch search={search} onSearch={setSearch} results={results} onChoose={go} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type JumpSearchProps = {
  search: string;
  onSearch: (search: string) => void;
  results: ReturnType<typeof useJumpResults>;
  onChoose: (target: JumpTarget) => void;
};

function JumpSearch({ search, onSearch, results, onChoose }: JumpSearchProps) {
  const t = useTranslator("jump");
  const ui = useTranslator("ui");
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={results.groups}
      value={search}
      onValueChange={onSearch}
      itemToStringValue={(target: JumpTarget) => target.label}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Icon as="search" className="text-muted" />
        <Autocomplete.Input
          aria-label={t("field")}
          placeholder={t("hint")}
          maxLength={200}
          className="min-h-14 min-w-0 grow bg-transparent outline-none placeholder:text-muted"
        />
        <Dialog.Close className="sr-only">{ui("close")}</Dialog.Close>
      </div>
      <Autocomplete.List className="overflow-y-auto p-2">
        {(group: JumpTargetGroup) => <JumpGroup key={group.kind} group={group} onChoose={onChoose} />}
      </Autocomplete.List>
      <Autocomplete.Status className="px-4 pb-3 text-sm text-muted">{t(results.state)}</Autocomplete.Status>
    </Autocomplete.Root>
  );
}

const GROUP_ICONS = {
  commands: "zap",
  incidents: "file-text",
  events: "calendar-days",
  people: "user-round",
  pages: "building-complex",
} as const;

function JumpGroup({ group, onChoose }: { group: JumpTargetGroup; onChoose: (target: JumpTarget) => void }) {
  const t = useTranslator("jump");
  return (
    <Autocomplete.Group items={group.items} className="pb-2">
      <Autocomplete.GroupLabel className="px-3 py-1.5 text-sm text-muted">
        {t(group.kind)}
      </Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(target: JumpTarget) => (
          <Autocomplete.Item
            key={target.id}
            value={target}
            onClick={() => onChoose(target)}
            className="flex min-h-11 cursor-pointer items-center gap-3 rounded-control px-3 data-highlighted:bg-accent-soft"
          >
            <Icon as={GROUP_ICONS[group.kind]} className="text-muted" />
            <span dir="auto" className="min-w-0 grow truncate text-start">
              {target.label}
            </span>
            <span dir="auto" className="max-w-[40%] truncate text-sm text-muted">
              {target.about}
            </span>
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  );
}

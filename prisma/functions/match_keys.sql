-- The form in which texts are compared by a search, and on a second line that of the spelling with ae, oe and ue, if the
-- text has an ä, ö, ü or ø. The same rule as listMatchKeys (lib/design/match-key.ts); a test compares the two. Columns
-- and indexes hold the result, so a change of the rule has to rewrite them.
CREATE OR REPLACE FUNCTION match_keys(original text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  spelling text;
  composed text;
  keys text[] := '{}';
  spellings text[] := ARRAY[original];
BEGIN
  IF octet_length(original) = length(original) THEN
    RETURN regexp_replace(lower(replace(original, '`', '''')), '[\t-\r ]+', ' ', 'g');
  END IF;
  IF original ~ '[äöüøÄÖÜØ]' THEN
    spellings := spellings || regexp_replace(regexp_replace(regexp_replace(original, '[äÄ]', 'ae', 'g'), '[öÖøØ]', 'oe', 'g'), '[üÜ]', 'ue', 'g');
  END IF;
  FOREACH spelling IN ARRAY spellings LOOP
    spelling := regexp_replace(spelling, '[`\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u0384\u055a\u05f3\u1fbd\u1fbf\u2018-\u201b\u2032\u2035\u2039\u203a\ua78c\uff07\uff40]', '''', 'g');
    spelling := regexp_replace(spelling, '[\u00ab\u00bb\u02ba\u05f4\u201c-\u201f\u2033\u2036\u301d-\u301f\uff02]', '"', 'g');
    spelling := regexp_replace(spelling, '[\u058a\u05be\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\ufe58\ufe63\uff0d]', '-', 'g');
    composed := '';
    -- Normalizing sorts the marks after a letter in quadratic time, so long texts are normalized in parts.
    FOR part IN 0..(length(spelling) - 1) / 50 LOOP
      composed := composed || normalize(regexp_replace(normalize(substr(spelling, part * 50 + 1, 50), NFKD),
        '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
        '', 'g'), NFC);
    END LOOP;
    composed := translate(lower(composed), 'øłđðıħŧŋɓɗƙƴςىیةک', 'olddihtnbdkyσييهك');
    composed := replace(replace(replace(replace(composed, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    composed := regexp_replace(composed, '[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g');
    IF composed <> ALL (keys) THEN
      keys := keys || composed;
    END IF;
  END LOOP;
  RETURN array_to_string(keys, E'\n');
END $$;

-- The same of several texts. Columns can hold its result, unlike that of array_to_string, which depends on settings for
-- other types than text.
CREATE OR REPLACE FUNCTION match_keys(originals text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT match_keys(array_to_string(originals, E'\n'))
$$;

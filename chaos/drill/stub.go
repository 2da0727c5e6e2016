package drill

import "slices"

func (s snapshot) without(_ []Ignored) snapshot { return s }

func (s snapshot) equals(o snapshot, _ []Ignored) bool { return slices.Equal(s, o) }

func differingFields(all []snapshot) ([]Ignored, bool) {
	return nil, slices.Equal(all[0], all[1])
}

func (i Ignored) equals(o Ignored) bool {
	return i.Resource == o.Resource && slices.Equal(i.Path, o.Path)
}

func ignoreLine(all []Ignored) string { return "" }

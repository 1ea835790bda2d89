# SPDX-License-Identifier: LGPL-2.1-or-later
"""The controls of an emulated link: presets, sliders, and the plug."""

import dataclasses
import math

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

from live import conditions, options


@dataclasses.dataclass(frozen=True)
class Slider:
    name: str           # of the Conditions
    label: str          # with its mnemonic
    low: float          # in the unit that it shows
    high: float
    step: float
    unit: str
    factor: float = 1.0     # from the Conditions to that unit
    logarithmic: bool = False


SLIDERS = (
    Slider("capacity_kbit_s", "_Capacity", 50,
           conditions.UNLIMITED_KBIT_S, 0.025, "kbit/s", logarithmic=True),
    Slider("delay_ms", "_Delay, one way", 0, 500, 5, "ms"),
    Slider("queue_ms", "_Queue, at most", 10, conditions.UNLIMITED_MS, 10,
           "ms"),
    Slider("loss", "Random _loss", 0, 30, 0.5, "%", 100),
    Slider("burst_loss", "_Burst loss", 0, 30, 0.5, "%", 100),
)


CHANGED = ""        # instead of the path of a preset


class LinkPanel(Gtk.Box):

    def __init__(self, link):
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=2)
        self.link = link
        self.scales = {}
        self.is_updating = False
        self.pack_start(self._make_head(), False, False, 0)
        flow = Gtk.FlowBox(
            selection_mode=Gtk.SelectionMode.NONE, homogeneous=True,
            max_children_per_line=len(SLIDERS), min_children_per_line=2,
            column_spacing=12)
        for slider in SLIDERS:
            child = Gtk.FlowBoxChild(can_focus=False)
            child.add(self._make_slider(slider))
            flow.add(child)
        self.pack_start(flow, True, True, 0)
        self.update()
        self.show_all()

    def _make_head(self):
        head = Gtk.Box(spacing=8)
        label = Gtk.Label.new_with_mnemonic("_Preset")
        self.presets = Gtk.ComboBoxText()
        self.paths = {str(path): path for path in (
            *options.link_files().values(), self.link.preset)}
        for name, path in self.paths.items():
            self.presets.append(
                name, f"{path.stem}: {options.link_title(path)}")
        self.presets.append(CHANGED, "changed by hand")
        self.presets.connect("changed", self._on_preset)
        for cell in self.presets.get_cells():
            cell.set_property("ellipsize", 3)
            cell.set_property("width-chars", 44)
        label.set_mnemonic_widget(self.presets)
        self.plug = Gtk.ToggleButton(label="_Unplug", use_underline=True)
        self.plug.get_style_context().add_class("plug")
        self.plug.set_tooltip_text("Nothing passes in either direction "
                                   "(Alt+U)")
        self.plug.connect("toggled", self._on_plug)
        self.heading = Gtk.Label(label=self.link.title, xalign=0)
        self.heading.get_style_context().add_class("heading")
        for widget in (self.heading, label, self.presets):
            head.pack_start(widget, False, False, 0)
        head.pack_end(self.plug, False, False, 0)
        return head

    def _make_slider(self, slider):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        label = Gtk.Label(xalign=0, use_underline=True, label=slider.label)
        low, high = (math.log10(slider.low), math.log10(slider.high)) \
            if slider.logarithmic else (slider.low, slider.high)
        scale = Gtk.Scale.new_with_range(
            Gtk.Orientation.HORIZONTAL, low, high, slider.step)
        scale.set_value_pos(Gtk.PositionType.RIGHT)
        scale.set_name(slider.name)
        scale.set_size_request(130, -1)
        scale.connect("format-value", self._format, slider)
        scale.connect("value-changed", self._on_slider, slider)
        scale.get_accessible().set_name(slider.label.replace("_", ""))
        label.set_mnemonic_widget(scale)
        self.scales[slider.name] = scale
        box.pack_start(label, False, False, 0)
        box.pack_start(scale, True, True, 0)
        return box

    @staticmethod
    def _format(_scale, value, slider):
        if slider.logarithmic:
            value = 10 ** value
        digits = 1 if slider.unit == "%" and value else 0
        return f"{value:.{digits}f} {slider.unit}"

    def _on_slider(self, scale, slider):
        if self.is_updating:
            return
        value = scale.get_value()
        if slider.logarithmic:
            value = float(f"{10 ** value:.3g}")
        self.link.change(slider.name, value / slider.factor)
        self.presets.set_active_id(CHANGED)

    def _on_preset(self, _box):
        path = self.presets.get_active_id()
        if path in self.paths and not self.is_updating:
            self.link.use(self.paths[path])
            self.update()

    def _on_plug(self, _button):
        if not self.is_updating:
            self.link.unplug(self.plug.get_active())

    def update(self):
        """Shows what the link is like."""
        self.is_updating = True
        for slider in SLIDERS:
            self._show(slider, getattr(self.link.conditions, slider.name))
        self.presets.set_active_id(
            CHANGED if self.link.changed else str(self.link.preset))
        self.plug.set_active(self.link.unplugged)
        self.is_updating = False

    def _show(self, slider, value):
        value *= slider.factor
        self.scales[slider.name].set_value(
            math.log10(max(value, slider.low)) if slider.logarithmic
            else value)

    def follow_capacity(self, capacity_kbit_s):
        """Of a link whose capacity changes by itself."""
        if self.link.changes_by_itself and capacity_kbit_s \
                and math.isfinite(capacity_kbit_s):
            self.is_updating = True
            self._show(SLIDERS[0], capacity_kbit_s)
            self.is_updating = False
